"""Heatmaps in the shuffle model: nobody but the participants ever sees what they hold.

Everybody sends many short messages, a shuffler mixes those of all, and an analyser adds them up.
The argument stands in `shuffle.md`: what each side learns, and why it is (ε, δ)-private. The method
is Appendix F of Ghazi et al., "Differentially private heatmaps" (arXiv:2211.13454), corrected.

Examples
--------
Everybody agrees on public parameters, and knows what taking part will cost.

>>> import numpy as np
>>> from sfumato.distributed.shuffle import Analyser, Client, Protocol, Shuffler
>>> from sfumato.domain import Bounds
>>> from sfumato.grid import Grid
>>> from sfumato.plane import Plane
>>> screen = Plane(Grid("x", Bounds(0, 640), 16), Grid("y", Bounds(0, 480), 12))
>>> protocol = Protocol(screen, participants=30, honest=25, epsilon=8, delta=1e-6, scaling=64)
>>> protocol.messages_per_user, protocol.bytes_per_user
(4284, 11246)

Each participant encodes where they looked, alone.

>>> client = Client(protocol)
>>> sent = [client.encode([(160 + i, 120 - i), (170, 125)]) for i in range(30)]

The shuffler mixes, and the analyser reads noisy sums: here of the cells that nearly all looked at.

>>> measured = Analyser(protocol).decode(Shuffler(protocol).permute(sent))
>>> picture = measured.picture()
>>> picture.shape, bool(10 < picture[2:4, 3:6].sum() < 50)
((12, 16), True)
"""

from __future__ import annotations

from sfumato.distributed.analyser import Analyser
from sfumato.distributed.client import Client
from sfumato.distributed.measured import Measured
from sfumato.distributed.messages import Messages
from sfumato.distributed.protocol import Protocol
from sfumato.distributed.shuffler import Shuffler

__all__ = ["Analyser", "Client", "Measured", "Messages", "Protocol", "Shuffler"]

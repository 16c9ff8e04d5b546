"""Score plots: the request, its plan, and what fills the frame."""

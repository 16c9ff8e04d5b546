"""Principal components: the request, its plan, and the private search for them."""

"""Problems of exercises: arrays, launches and what must come out, and holes in queues."""

"""`tacit grow`: let a project's rules grow."""

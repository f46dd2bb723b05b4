"""The command line: it reads projects, calls the library and prints; it has no logic of its own."""

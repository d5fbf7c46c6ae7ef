"""Cards left over in a Nerts pile, counted in their photos. No files."""

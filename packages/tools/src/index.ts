// Not built yet. ARCHITECTURE.md says what belongs here and what this package may import.
export {}

// Exports nothing: the app starts at main.tsx and is built into a folder that the gateway serves.
export {}

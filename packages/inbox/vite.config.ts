import { defineConfig } from 'vite'

// Scripts and one style sheet, no inline anything: the gateway serves them under a policy that allows nothing else.
export default defineConfig({
  root: import.meta.dirname,
  build: {
    // Where the program that serves it looks, and what it ships.
    outDir: '../gateway/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // One style sheet for all pages: it is small, and a page that comes later is styled at once.
    cssCodeSplit: false,
    modulePreload: false,
    target: 'es2022',
    reportCompressedSize: false,
    // What counts is the compressed size, which a test measures.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Mantine marks each of its files for servers that render; there is none here.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
})

import { defineConfig } from 'vite'

// Builds script files and one style sheet, nothing inline: the gateway's content security policy blocks inline code.
export default defineConfig({
  root: import.meta.dirname,
  build: {
    // The gateway package serves and ships this folder.
    outDir: '../gateway/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // One style sheet for all pages: it is small, and pages loaded later need no second one.
    cssCodeSplit: false,
    modulePreload: false,
    target: 'es2022',
    reportCompressedSize: false,
    // The licences of the bundled packages require that their text is included.
    license: { fileName: 'third-party-licences.md' },
    // A test checks the compressed size instead.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Mantine's files start with 'use client', which is for server rendering and has no effect here.
      onLog: (level, log, handle) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : handle(level, log)),
    },
  },
})

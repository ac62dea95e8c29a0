// Entry point of the app.
//
// By default Mantine writes its variables and classes into style elements, which our content security policy blocks. So
// both are loaded from files, and style/theme.css overrides them.

import { MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { problemOf } from './api/client.ts'
import { queryKeys } from './api/queries.ts'
import { App } from './app.tsx'
import './style/styles.ts'

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // If the session has ended, refetch `/api/me`, so that the whole app shows the sign-in page at once.
    onError: (error, { queryKey }) => {
      if (problemOf(error).code === 'signed-out' && queryKey[0] !== queryKeys.me[0]) {
        void queries.invalidateQueries({ queryKey: queryKeys.me })
      }
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && problemOf(error).code === 'unavailable',
    },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root.')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
      theme={{ primaryColor: 'teal', respectReducedMotion: true, cursorType: 'pointer' }}
    >
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

// Where the app starts.
//
// Mantine writes its variables and classes into style elements unless told not to; our policy refuses those. So both
// come as files, and what we change of them is in style/theme.css.

import { MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { problemOf } from './api/client.ts'
import { keys } from './api/queries.ts'
import { App } from './app.tsx'
import './style/styles.ts'

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // A session that ended elsewhere shows everywhere at once: the frame asks who is here, and hears nobody.
    onError: (error, { queryKey }) => {
      if (problemOf(error).code === 'signed-out' && queryKey[0] !== keys.me[0]) {
        void queries.invalidateQueries({ queryKey: keys.me })
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

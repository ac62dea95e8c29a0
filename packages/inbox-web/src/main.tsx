// Entry point of the app.
//
// By default Mantine writes its variables and classes into style elements, which our content security policy blocks. So
// both are loaded from files, and style/theme.css overrides them.

import { MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { problemOf } from './api/client.ts'
import { recordQuery } from './api/connection.ts'
import { playKey } from './api/play.ts'
import { queryKeys } from './api/queries.ts'
import { setUpServiceWorker } from './api/service-worker.ts'
import { App } from './app.tsx'
import './style/styles.ts'

/** After a failure because the inbox cannot answer at the moment. */
const retryMs = 3_000

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      const { code } = problemOf(error)
      // In the playground the server under test may be the one that is unavailable.
      if (code === 'unavailable' && queryKey[0] !== playKey) recordQuery(false)
      // If the session has ended, refetch `/api/me`, so that the whole app shows the sign-in page at once.
      if (code === 'signed-out' && queryKey[0] !== queryKeys.me[0]) {
        void queries.invalidateQueries({ queryKey: queryKeys.me })
      }
    },
    onSuccess: () => recordQuery(true),
  }),
  defaultOptions: {
    // Without a network the local inbox still works, so the browser's offline state decides nothing.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && problemOf(error).code === 'unavailable',
      refetchInterval: ({ state }) =>
        state.error !== null && problemOf(state.error).code === 'unavailable' ? retryMs : false,
    },
  },
})

// The page works without it; some browsers refuse workers, for example in private windows.
void setUpServiceWorker().catch(() => undefined)

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root.')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
      theme={{
        primaryColor: 'teal',
        respectReducedMotion: true,
        cursorType: 'pointer',
        components: {
          // Written on the element, so that the style sheets can address it.
          Button: { defaultProps: { variant: 'filled' }, classNames: { loader: 'button-loader' } },
          // Menus and lists of options are part of the page for screen readers.
          Portal: { defaultProps: { target: 'main' } },
        },
      }}
    >
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

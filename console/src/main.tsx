import './ui/theme.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { markOutdatedOrOffline } from '#api/connection.ts'
import { createQueryClient } from '#api/query.ts'
import { followTheme } from '#lib/theme.ts'
import { createConsoleRouter } from '#shell/router.tsx'
import { connectClient } from '#shell/session-end.ts'

const queryClient = createQueryClient()
const router = createConsoleRouter(queryClient)

forbidHtmlFromText()
followTheme()
connectClient(router, queryClient)
window.addEventListener('vite:preloadError', () => void markOutdatedOrOffline())

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)

interface TrustedTypes {
  createPolicy(name: 'default', rules: { createHTML(html: string): string | null }): void
}

/**
 * The Content-Security-Policy forbids to turn text into HTML or scripts, where browsers know how to. The one exception is
 * no HTML at all: React Aria empties its announcer with it.
 */
function forbidHtmlFromText(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
  trustedTypes?.createPolicy('default', { createHTML: (html) => (html === '' ? html : null) })
}

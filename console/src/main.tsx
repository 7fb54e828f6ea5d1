import './ui/theme.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { markOutdatedOrOffline } from '#api/connection.ts'
import { createQueryClient } from '#api/query-client.ts'
import { followTheme } from '#lib/theme.ts'
import { forbidHtmlFromText } from '#lib/trusted-types.ts'
import { createConsoleRouter } from '#shell/router.tsx'
import { connectClient } from '#shell/signing-out.ts'

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

import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { parseSearch, stringifySearch } from '#lib/search-params.ts'
import { PageSpinner } from '#ui/feedback/spinner.tsx'
import type { pagePaths } from '../pages.ts'
import { PageError } from './error-pages.tsx'
import { routeTree } from './routes.tsx'

const pendingAfterMs = 150

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: pendingAfterMs,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PageSpinner,
    defaultErrorComponent: PageError,
    scrollRestoration: true,
  })
}

type ConsoleRouter = ReturnType<typeof createConsoleRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter
  }
}

type Pattern<Path extends string> = Path extends `${infer Head}$${infer Tail}` ? `${Head}:${Pattern<Tail>}` : Path
type RoutePattern = Pattern<Exclude<keyof ConsoleRouter['routesByPath'], '' | '/' | '/account/' | '/operator/'>>
type PagePattern = (typeof pagePaths)[number]
type Difference = Exclude<RoutePattern, PagePattern> | Exclude<PagePattern, RoutePattern>
// Fails to compile where pages.ts and routes.tsx do not name the same pages.
null as unknown as Difference satisfies never

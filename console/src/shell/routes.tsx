import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router'
import { hasCode } from '#api/failure.ts'
import { sessionQuery } from '#api/session.ts'
import { parsePagePlace, type RawSearch } from '#lib/search-params.ts'
import { validateAuditSearch } from '../pages/account/audit/search.ts'
import { validateBillingSearch } from '../pages/billing/search.ts'
import { validateContactsSearch } from '../pages/contacts/search.ts'
import { validateKeysSearch } from '../pages/keys/search.ts'
import { validateListsSearch } from '../pages/lists/search.ts'
import { validateOperatorAccountsSearch } from '../pages/operator/accounts/search.ts'
import { validateRevealedSearch } from '../pages/revealed/search.ts'
import { validateSignInSearch } from '../pages/sign-in/search.ts'
import { validateStoresSearch } from '../pages/stores/search.ts'
import { validateUsageSearch } from '../pages/usage/search.ts'
import { NotFound, NotFoundPage } from './error-pages.tsx'
import { lazyPage } from './lazy-page.tsx'
import { RootLayout } from './root-layout.tsx'

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: RootLayout,
  notFoundComponent: NotFoundPage,
})

/** Everything behind the sign-in. */
const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  component: lazyPage(() => import('./app-layout.tsx')),
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData({ ...sessionQuery, revalidateIfStale: false })
    } catch (error) {
      if (hasCode(error, 'not_signed_in')) throw redirect({ to: '/sign-in', search: { next: location.href } })
      throw error
    }
  },
})

const accountRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/account',
  component: lazyPage(() => import('../pages/account/layout.tsx')),
  notFoundComponent: NotFound,
})

const operatorRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/operator',
  component: lazyPage(() => import('../pages/operator/layout.tsx')),
  notFoundComponent: NotFound,
})

const inRoot = () => rootRoute
const inApp = () => appRoute
const inAccount = () => accountRoute
const inOperator = () => operatorRoute

/** Drops search parameters that the page does not know; the router alone would pass them on. */
function only<Search extends object>(validate: (search: RawSearch) => Search): (search: RawSearch) => Search {
  return (search) => {
    const nothing = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    return { ...nothing, ...validate(search) }
  }
}

const goTo = (to: '/stores' | '/account/members' | '/operator/accounts') => () => {
  throw redirect({ to, replace: true })
}

// One line for each page. Its address also goes into pages.ts, and into navigation.ts if it should be found there.

// biome-ignore format: a list
const publicPages = [
  createRoute({ getParentRoute: inRoot, path: '/', beforeLoad: goTo('/stores') }),
  createRoute({ getParentRoute: inRoot, path: '/sign-in', component: lazyPage(() => import('../pages/sign-in/page.tsx')), validateSearch: only(validateSignInSearch) }),
  createRoute({ getParentRoute: inRoot, path: '/link', component: lazyPage(() => import('../pages/link/page.tsx')) }),
  createRoute({ getParentRoute: inRoot, path: '/privacy', component: lazyPage(() => import('../pages/privacy/page.tsx')) }),
] as const

// The address of a store's page has the search that led to it, for the way back and to the stores beside it.

// biome-ignore format: a list
const signedInPages = [
  createRoute({ getParentRoute: inApp, path: '/stores', component: lazyPage(() => import('../pages/stores/page.tsx')), validateSearch: only(validateStoresSearch) }),
  createRoute({ getParentRoute: inApp, path: '/stores/$domain', component: lazyPage(() => import('../pages/store/page.tsx')), validateSearch: only(validateStoresSearch) }),
  createRoute({ getParentRoute: inApp, path: '/people', component: lazyPage(() => import('../pages/contacts/page.tsx')), validateSearch: only(validateContactsSearch) }),
  createRoute({ getParentRoute: inApp, path: '/revealed', component: lazyPage(() => import('../pages/revealed/page.tsx')), validateSearch: only(validateRevealedSearch) }),
  createRoute({ getParentRoute: inApp, path: '/lists', component: lazyPage(() => import('../pages/lists/page.tsx')), validateSearch: only(validateListsSearch) }),
  createRoute({ getParentRoute: inApp, path: '/lists/$list', component: lazyPage(() => import('../pages/list/page.tsx')), validateSearch: only(validateListsSearch) }),
  createRoute({ getParentRoute: inApp, path: '/exports', component: lazyPage(() => import('../pages/exports/page.tsx')), validateSearch: only(parsePagePlace) }),
  createRoute({ getParentRoute: inApp, path: '/exports/$export', component: lazyPage(() => import('../pages/export/page.tsx')) }),
  createRoute({ getParentRoute: inApp, path: '/usage', component: lazyPage(() => import('../pages/usage/page.tsx')), validateSearch: only(validateUsageSearch) }),
  createRoute({ getParentRoute: inApp, path: '/keys', component: lazyPage(() => import('../pages/keys/page.tsx')), validateSearch: only(validateKeysSearch) }),
  createRoute({ getParentRoute: inApp, path: '/billing', component: lazyPage(() => import('../pages/billing/page.tsx')), validateSearch: only(validateBillingSearch) }),
] as const

// biome-ignore format: a list
const accountPages = [
  createRoute({ getParentRoute: inAccount, path: '/', beforeLoad: goTo('/account/members') }),
  createRoute({ getParentRoute: inAccount, path: '/members', component: lazyPage(() => import('../pages/account/members/page.tsx')) }),
  createRoute({ getParentRoute: inAccount, path: '/sessions', component: lazyPage(() => import('../pages/account/sessions/page.tsx')) }),
  createRoute({ getParentRoute: inAccount, path: '/profile', component: lazyPage(() => import('../pages/account/profile/page.tsx')) }),
  createRoute({ getParentRoute: inAccount, path: '/settings', component: lazyPage(() => import('../pages/account/settings/page.tsx')) }),
  createRoute({ getParentRoute: inAccount, path: '/audit', component: lazyPage(() => import('../pages/account/audit/page.tsx')), validateSearch: only(validateAuditSearch) }),
] as const

// biome-ignore format: a list
const operatorPages = [
  createRoute({ getParentRoute: inOperator, path: '/', beforeLoad: goTo('/operator/accounts') }),
  createRoute({ getParentRoute: inOperator, path: '/accounts', component: lazyPage(() => import('../pages/operator/accounts/page.tsx')), validateSearch: only(validateOperatorAccountsSearch) }),
  createRoute({ getParentRoute: inOperator, path: '/accounts/$account', component: lazyPage(() => import('../pages/operator/account/page.tsx')) }),
  createRoute({ getParentRoute: inOperator, path: '/catalogue', component: lazyPage(() => import('../pages/operator/catalogue/page.tsx')) }),
  createRoute({ getParentRoute: inOperator, path: '/imports', component: lazyPage(() => import('../pages/operator/imports/page.tsx')), validateSearch: only(parsePagePlace) }),
  createRoute({ getParentRoute: inOperator, path: '/imports/$import', component: lazyPage(() => import('../pages/operator/import/page.tsx')) }),
  createRoute({ getParentRoute: inOperator, path: '/privacy', component: lazyPage(() => import('../pages/operator/privacy/page.tsx')), validateSearch: only(parsePagePlace) }),
  createRoute({ getParentRoute: inOperator, path: '/webhooks', component: lazyPage(() => import('../pages/operator/webhooks/page.tsx')), validateSearch: only(parsePagePlace) }),
  createRoute({ getParentRoute: inOperator, path: '/system', component: lazyPage(() => import('../pages/operator/system/page.tsx')) }),
] as const

export const routeTree = rootRoute.addChildren([
  ...publicPages,
  appRoute.addChildren([
    ...signedInPages,
    accountRoute.addChildren(accountPages),
    operatorRoute.addChildren(operatorPages),
  ]),
])

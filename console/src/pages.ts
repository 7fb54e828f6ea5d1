/**
 * The addresses of pages, for the server: it answers each with the same document. `/` is the server's own; the router
 * sends it on to the stores. The compiler compares the list with the routes.
 */
export const pagePaths = [
  '/sign-in',
  '/link',
  '/privacy',
  '/stores',
  '/stores/:domain',
  '/people',
  '/revealed',
  '/usage',
  '/keys',
  '/billing',
  '/account',
  '/account/members',
  '/account/sessions',
  '/account/profile',
  '/account/settings',
  '/account/audit',
  '/operator',
  '/operator/accounts',
  '/operator/accounts/:account',
  '/operator/catalogue',
  '/operator/privacy',
  '/operator/webhooks',
  '/operator/system',
] as const

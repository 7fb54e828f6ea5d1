import { choiceParam, type RawSearch, textParam } from '#lib/search-params.ts'

export interface SignInSearch {
  /** Where to go on afterwards: a path of the console. */
  next?: string
  /** A link by mail instead: for a forgotten password, or a new account. */
  ask?: 'password' | 'account'
  /** Why the person is here again: the OpenID Connect provider did not vouch for a known user. */
  problem?: 'provider'
}

export function validateSignInSearch(search: RawSearch): SignInSearch {
  const next = textParam(search.next)
  const ask = choiceParam(search.ask, ['password', 'account'])
  const problem = choiceParam(search.problem, ['provider'])
  return { ...(next && isOwnPath(next) && { next }), ...(ask && { ask }), ...(problem && { problem }) }
}

/** Never to another host, whatever the address says. */
function isOwnPath(next: string): boolean {
  try {
    return next.startsWith('/') && new URL(next, window.location.origin).origin === window.location.origin
  } catch {
    return false
  }
}

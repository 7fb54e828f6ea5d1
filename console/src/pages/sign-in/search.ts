import { type RawSearch, textParam } from '#lib/search-params.ts'

export interface SignInSearch {
  /** Where to go on afterwards: a path of the console. */
  next?: string
}

export function validateSignInSearch(search: RawSearch): SignInSearch {
  const next = textParam(search.next)
  return next && isOwnPath(next) ? { next } : {}
}

/** Never to another host, whatever the address says. */
function isOwnPath(next: string): boolean {
  try {
    return next.startsWith('/') && new URL(next, window.location.origin).origin === window.location.origin
  } catch {
    return false
  }
}

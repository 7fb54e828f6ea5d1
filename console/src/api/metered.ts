/**
 * For requests that cost search rows. An answer is asked for once, and kept while the tab is open: neither a look at the window
 * nor a lost connection nor the way back to a page asks again. Only a reload does.
 */
export const meteredQuery = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 4 * 3_600_000,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
} as const

import { useLocation, useNavigate } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The cursors of the pages before this one; empty text for the first. In the tab's history, so that a reload keeps them. */
    cursors?: string[]
  }
}

/** The place in a result, as the address has it. */
export interface PagePlace {
  cursor?: string
  /** 1 for the first; missing there. */
  page?: number
}

export interface Paging {
  page: number
  onPrevious: (() => void) | undefined
  onNext: (() => void) | undefined
  goToFirst: () => void
}

export type PagedRoute =
  | '/stores'
  | '/people'
  | '/revealed'
  | '/exports'
  | '/account/audit'
  | '/operator/accounts'
  | '/operator/imports'
  | '/operator/privacy'
  | '/operator/webhooks'

/** The way to the pages beside this one. From an address that was sent, the way back is to the first page. */
export function usePaging(to: PagedRoute, { cursor, page = 1 }: PagePlace, nextCursor: string | null): Paging {
  const cursors = useLocation({ select: ({ state }) => state.cursors }) ?? []
  const navigate = useNavigate()
  const go = (place: PagePlace, stack: string[]) =>
    void navigate({
      to,
      search: (search) => ({ ...search, cursor: undefined, page: undefined, ...place }),
      state: { cursors: stack },
      resetScroll: false,
    })
  const previous = () => {
    const back = cursors.at(-1)
    go(back ? { cursor: back, page: page - 1 } : {}, cursors.slice(0, -1))
  }
  const next = (following: string) => go({ cursor: following, page: page + 1 }, [...cursors, cursor ?? ''])
  return {
    page,
    goToFirst: () => go({}, []),
    onPrevious: cursor ? previous : undefined,
    onNext: nextCursor ? () => next(nextCursor) : undefined,
  }
}

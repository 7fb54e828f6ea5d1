import { choiceParam, type RawSearch, textParam } from '#lib/search-params.ts'

/** The page's search parameters. */
export interface KeysSearch {
  /** Keys that expired or were revoked, instead of those that can be used. */
  show?: 'ended'
  cursor?: string
}

export function validateKeysSearch(search: RawSearch): KeysSearch {
  return { show: choiceParam(search.show, ['ended']), cursor: textParam(search.cursor) }
}

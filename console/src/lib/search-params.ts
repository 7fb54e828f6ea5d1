// The query of a page's address: a list repeats its name, everything else is text. `validateSearch` of a page gets these
// texts at first, and what the page itself put there after a navigation; both have to be understood.

export type RawSearch = Record<string, unknown>

export function parseSearch(search: string): RawSearch {
  const params = new URLSearchParams(search)
  const names = [...new Set(params.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const values = params.getAll(name)
      return [name, values.length > 1 ? values : values[0]]
    }),
  )
}

export function stringifySearch(search: RawSearch): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    const values = Array.isArray(value) ? value : [value]
    for (const each of values) if (each !== undefined && each !== null && each !== '') params.append(name, String(each))
  }
  return params.size > 0 ? `?${params}` : ''
}

export function textParam(value: unknown): string | undefined {
  const [first] = listParam(value) ?? []
  return first
}

/** Undefined where there are none, so that the name is left out of the address. */
function listParam(value: unknown): string[] | undefined {
  const values = (Array.isArray(value) ? value : [value]).filter(
    (each) => each !== undefined && each !== null && each !== '',
  )
  return values.length > 0 ? values.map(String) : undefined
}

export function numberParam(value: unknown): number | undefined {
  const text = textParam(value)
  const number = text === undefined ? Number.NaN : Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** A text of one form; anything else counts as not given. */
export function patternParam(value: unknown, pattern: RegExp): string | undefined {
  const text = textParam(value)
  return text !== undefined && pattern.test(text) ? text : undefined
}

/** One of a few words; anything else counts as not given. */
export function choiceParam<Choice extends string>(value: unknown, choices: readonly Choice[]): Choice | undefined {
  const text = textParam(value)
  return choices.find((choice) => choice === text)
}

/** The place in a list, as the address has it: both are missing on the first page. */
export function parsePagePlace(search: RawSearch): { cursor?: string; page?: number } {
  const cursor = textParam(search.cursor)
  if (!cursor) return {}
  const page = numberParam(search.page)
  return { cursor, page: page !== undefined && Number.isInteger(page) && page > 1 ? page : 2 }
}

/** Languages in which files name months. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl']

/** Spellings that the list of a language does not have. */
const otherNames: Record<string, number> = {
  sept: 9,
  mrz: 3,
  maerz: 3,
  fevr: 2,
  set: 9,
  janner: 1,
  feber: 2,
  agt: 8,
  juil: 7,
  out: 10,
}

let byName: Map<string, number> | undefined

/** The number of a month by its name or short name, in any case and with or without accents: 1 for `styczeń`, `Jan.`. */
export function findMonth(word: string): number | undefined {
  byName ??= listNames()
  return byName.get(keyOfWord(word))
}

/** A word without accents, in lower case. */
export function keyOfWord(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Alone a month has another form than beside a day: styczeń, 1 stycznia. A word of two months is left out. */
function listNames(): Map<string, number> {
  const names = new Map<string, number>(Object.entries(otherNames))
  const twice = new Set<string>()
  for (const language of languages)
    for (const month of ['long', 'short'] as const)
      for (const rest of [{}, { day: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(language, { month, ...rest, timeZone: 'UTC' })
        for (let number = 1; number <= 12; number++) {
          const parts = format.formatToParts(Date.UTC(2021, number - 1, 1))
          const name = keyOfWord(parts.find(({ type }) => type === 'month')!.value).replace(/\.$/, '')
          if ((names.get(name) ?? number) !== number) twice.add(name)
          names.set(name, number)
        }
      }
  for (const name of twice) names.delete(name)
  return names
}

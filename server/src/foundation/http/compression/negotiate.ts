/** The encodings of replies, the better one first. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/**
 * The encoding that an Accept-Encoding header prefers, of equal ones the better; null for none. A caller who refuses everything
 * gets the reply as it is.
 */
export function chooseEncoding(header: string | undefined): Encoding | null {
  if (!header) return null
  const weights = weightsOf(header)
  let best: Encoding | null = null
  let bestWeight = 0
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight]
  }
  return bestWeight >= (weights.get('identity') ?? 0) ? best : null
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim())
    const weight = parameters.find((each) => each.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  return weights
}

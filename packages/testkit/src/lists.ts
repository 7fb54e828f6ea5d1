/** A source of random numbers. */
interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number
}

/** Splits a list into contiguous shares, one for each connection. */
export function splitEvenly<T>(items: readonly T[], connections: number): T[][] {
  const startOf = (share: number) => Math.floor((share * items.length) / connections)
  return Array.from({ length: connections }, (_, share) => items.slice(startOf(share), startOf(share + 1)))
}

/** Returns the items in order, repeatedly. */
export function roundRobin<T>(items: readonly T[]): () => T {
  let at = 0
  return () => items[at++ % items.length]!
}

/** Maps with at most `lanes` items in progress. Results are in the order of the items. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  lanes = 8,
): Promise<R[]> {
  const results: R[] = []
  const entries = items.entries()
  const walk = async () => {
    for (const [index, item] of entries) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, walk))
  return results
}

export function mapOf<K extends string, V>(keys: readonly K[], makeValue: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, makeValue(key)])) as Record<K, V>
}

/** The same items in random order. */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!]
  }
  return shuffled
}

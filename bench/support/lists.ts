import type { Random } from '../../catalogue/build/random.ts'

/** Cuts a list into stretches, so that connections do not repeat each other. */
export function splitEvenly<T>(items: readonly T[], connections: number): T[][] {
  const startOf = (share: number) => Math.floor((share * items.length) / connections)
  return Array.from({ length: connections }, (_, share) => items.slice(startOf(share), startOf(share + 1)))
}

/** The items one after the other, over and over. */
export function roundRobin<T>(items: readonly T[]): () => T {
  let at = 0
  return () => items[at++ % items.length]!
}

/** Results in the order of the items, however many are worked on at once. */
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

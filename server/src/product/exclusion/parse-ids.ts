import type { Pace, Steps } from '@storedex/work'

/** Of handling one id, in the units of a pace. */
export const unitsPerId = 128

/** Ids that are separated by commas; none for an empty text. */
export function* parseIds(text: string, pace: Pace): Steps<number[]> {
  const ids: number[] = []
  for (let start = 0; start < text.length; ) {
    const comma = text.indexOf(',', start)
    const end = comma < 0 ? text.length : comma
    ids.push(Number(text.slice(start, end)))
    start = end + 1
    if (pace.spend(unitsPerId)) yield
  }
  return ids
}

export function* mapIds(ids: readonly number[], change: (id: number) => number, pace: Pace): Steps<number[]> {
  const changed: number[] = []
  for (const id of ids) {
    changed.push(change(id))
    if (pace.spend(unitsPerId)) yield
  }
  return changed
}

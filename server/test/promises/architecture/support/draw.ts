import type { SourceFacts } from './facts.ts'
import { resolveImport } from './tree.ts'

/**
 * Rooms as a text picture, the highest floor first. A room stands one floor above the highest room that it imports, and an
 * arrow leads from a room to one that it imports. `line` is the order that is allowed, the lowest first; an arrow against it
 * runs up. Rooms that import each other have no floor.
 */
export function draw(
  title: string,
  files: readonly SourceFacts[],
  roomOf: (path: string) => string,
  line: readonly string[],
): string {
  const arrows = arrowsOf(files, roomOf)
  const floors = floorsOf(line, arrows)
  const all = [...arrows].flatMap(([from, targets]) => [...targets].map((to) => [from, to] as const))
  const up = all.filter(([from, to]) => line.indexOf(to) > line.indexOf(from)).length
  const width = Math.max(...line.map((room) => room.length))
  const rows = [...line]
    .sort((a, b) => (floors.get(b) ?? 0) - (floors.get(a) ?? 0) || line.indexOf(b) - line.indexOf(a))
    .map((room) => {
      const targets = line.filter((each) => arrows.get(room)?.has(each)).join(', ')
      return `${String(floors.get(room) ?? '?').padStart(4)}  ${room.padEnd(width)}${targets && `  → ${targets}`}`.trimEnd()
    })
  const count = Math.max(0, ...floors.values())
  return `${title}: ${line.length} rooms, ${count} floors, ${all.length} arrows, ${up || 'none'} up\n${rows.join('\n')}\n`
}

function arrowsOf(files: readonly SourceFacts[], roomOf: (path: string) => string): Map<string, Set<string>> {
  const paths = new Set(files.map(({ path }) => path))
  const arrows = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const targets = imports.map(({ from }) => resolveImport(path, from)).filter((target) => paths.has(target))
    const room = roomOf(path)
    for (const target of targets.map(roomOf))
      if (target !== room) arrows.set(room, (arrows.get(room) ?? new Set()).add(target))
  }
  return arrows
}

function floorsOf(rooms: readonly string[], arrows: Map<string, Set<string>>): Map<string, number> {
  const floors = new Map<string, number>()
  for (let placed = -1; placed < floors.size; ) {
    placed = floors.size
    for (const room of rooms) {
      const below = [...(arrows.get(room) ?? [])].map((target) => floors.get(target))
      if (!floors.has(room) && !below.includes(undefined)) floors.set(room, Math.max(0, ...(below as number[])) + 1)
    }
  }
  return floors
}

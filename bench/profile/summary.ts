import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** When a run took place, on the clock of profiles. */
export interface Window {
  fromMicros: number
  toMicros: number
  answered: number
}

interface ProfileNode {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number; columnNumber: number }
  children?: number[]
}

/** What V8 writes with `--cpu-prof`. */
interface CpuProfile {
  nodes: ProfileNode[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** Microseconds for each reply. */
export interface Share {
  name: string
  micros: number
}

export interface ProfileSummary {
  micros: number
  modules: Share[]
  functions: Share[]
  inclusive: Share[]
}

interface Place {
  functionName: string
  module: string
  label: string
}

/** Reads where the time of the runs went; `(idle)` is left out. */
export function summarizeProfile(file: string, windows: readonly Window[]): ProfileSummary {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
  const maps = new Map<string, SourceMap | null>()
  const places = new Map(profile.nodes.map((node) => [node.id, placeOf(node, maps)]))
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const modules = new Map<string, number>()
  const functions = new Map<string, number>()
  const inclusive = new Map<string, number>()
  const answered = windows.reduce((sum, window) => sum + window.answered, 0)
  const add = (figures: Map<string, number>, name: string, micros: number) =>
    figures.set(name, (figures.get(name) ?? 0) + micros / answered)
  let now = profile.startTime
  let total = 0
  for (const [index, id] of profile.samples.entries()) {
    now += profile.timeDeltas[index]!
    const micros = profile.timeDeltas[index + 1] ?? 0
    const place = places.get(id)!
    if (place.functionName === '(idle)' || !windows.some((window) => isWithin(window, now))) continue
    total += micros / answered
    add(modules, place.module, micros)
    add(functions, place.label, micros)
    const labels = new Set<string>()
    for (let node: number | undefined = id; node !== undefined; node = parents.get(node))
      labels.add(places.get(node)!.label)
    for (const label of labels) add(inclusive, label, micros)
  }
  return { micros: total, modules: sorted(modules), functions: sorted(functions), inclusive: sorted(inclusive) }
}

function isWithin({ fromMicros, toMicros }: Window, now: number): boolean {
  return now >= fromMicros && now <= toMicros
}

function sorted(figures: Map<string, number>): Share[] {
  return [...figures].map(([name, micros]) => ({ name, micros })).sort((one, other) => other.micros - one.micros)
}

/** The bundle's places are those of the sources. */
function placeOf({ callFrame }: ProfileNode, maps: Map<string, SourceMap | null>): Place {
  const { url, lineNumber, columnNumber } = callFrame
  let source = url.startsWith('file:') ? fileURLToPath(url) : url
  if (source.includes('/dist/')) {
    if (!maps.has(source)) maps.set(source, readSourceMap(`${source}.map`))
    const entry = maps.get(source)?.findEntry(lineNumber, columnNumber)
    if (entry && 'originalSource' in entry) source = entry.originalSource
  }
  const functionName = callFrame.functionName || `(line ${lineNumber + 1})`
  const module = moduleOf(source)
  return { functionName, module, label: `${functionName} · ${module}` }
}

function moduleOf(source: string): string {
  if (source === '') return '(native)'
  const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? []
  return library ?? source.replace(/^.*?(?=(?:src|packages)\/)/, '')
}

function readSourceMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

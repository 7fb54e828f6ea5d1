import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

/** The memory this process may use, in bytes: the machine's, or less where a container or a service manager limits it. */
export function availableMemory(): number {
  // Without a limit this is 0 or more than the machine has.
  const limit = process.constrainedMemory()
  return Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY, cgroupMemoryLimit())
}

/**
 * The lowest memory limit of all control groups of this process, in bytes: Node reads only the innermost. Infinity
 * without a limit.
 */
export function cgroupMemoryLimit(readText: (path: string) => string = readFile): number {
  const limits = readText('/proc/self/cgroup')
    .split('\n')
    .flatMap((line) => {
      const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
      if (path === undefined) return []
      // Inside a container the path may belong to the host; the mounted directory is then the container's own group.
      if (controllers === '') return pathsUpFrom(path).map((each) => readText(`/sys/fs/cgroup${each}/memory.max`))
      if (!controllers?.split(',').includes('memory')) return []
      return pathsUpFrom(path).map(
        (each) =>
          /^hierarchical_memory_limit (\d+)$/m.exec(readText(`/sys/fs/cgroup/memory${each}/memory.stat`))?.[1] ?? '',
      )
    })
    .map((text) => Number.parseInt(text, 10))
    .filter((limit) => limit > 0)
  return Math.min(Number.POSITIVE_INFINITY, ...limits)
}

/** `/a/b` → `/a/b`, `/a` and the empty path of the root. */
function pathsUpFrom(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '')
  return Array.from({ length: names.length + 1 }, (_, up) =>
    names
      .slice(0, names.length - up)
      .map((name) => `/${name}`)
      .join(''),
  )
}

/** Empty for a missing or unreadable file, which sets no limit. */
function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const megabyte = 2 ** 20

/**
 * The minimum memory of the service, in bytes: the memory measured under load that cannot be reclaimed, plus a margin.
 * The processes of the embedded PostgreSQL and all workers share the limit.
 */
export function minimumMemory({
  embedsPostgres,
  processes = 1,
}: {
  embedsPostgres: boolean
  processes?: number
}): number {
  return (embedsPostgres ? 128 : 0) * megabyte + processes * 256 * megabyte
}

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'

/** A control group of Linux that bounds the memory of all processes in it. */
export interface MemoryGroup {
  /** A process that writes its number there is in the group from then on, with all that it starts. */
  processesFile: string
  /** How often the kernel ended a process of the group for lack of memory. */
  countKills(): number
  /** The most memory that was in use at once, the file cache included, in bytes; 0 where the kernel does not say. */
  peak(): number
}

interface Hierarchy {
  /** The group in which others can be made. */
  parent: string
  limits: Record<string, (bytes: number) => string>
  killsFile: string
  peakFile: string
}

/** Makes a group until the end of the test, which also ends all its processes. */
export function makeMemoryGroup(bytes: number): MemoryGroup {
  const group = createGroup(findHierarchy()!, bytes)
  onTestFinished(() => removeGroup(group.folder))
  return group
}

/** Whether this machine and this user can make such a group. */
export function canMakeMemoryGroup(): boolean {
  const hierarchy = findHierarchy()
  if (!hierarchy) return false
  try {
    const { folder, processesFile } = createGroup(hierarchy, 2 ** 30)
    // Where a group can be made, a process cannot always be put into it.
    const { status } = spawnSync('/bin/sh', ['-c', `echo $$ > '${processesFile}'`], { stdio: 'ignore' })
    rmdirSync(folder)
    return status === 0
  } catch {
    return false
  }
}

/** Version 1 or 2, whichever bounds memory here; undefined without Linux or where no group may have children with a bound. */
function findHierarchy(): Hierarchy | undefined {
  const own = readIfThere('/proc/self/cgroup')
  const first = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(own)?.[1]
  if (first !== undefined)
    return {
      // In a container the path may be the host's; then the mounted folder is the container's own group.
      parent: [join('/sys/fs/cgroup/memory', first), '/sys/fs/cgroup/memory'].find((folder) => existsSync(folder))!,
      limits: { 'memory.limit_in_bytes': String, 'memory.memsw.limit_in_bytes': String },
      killsFile: 'memory.oom_control',
      peakFile: 'memory.max_usage_in_bytes',
    }
  const second = /^0::(\/.*)$/m.exec(own)?.[1]
  if (second === undefined) return undefined
  // A group with processes of its own, as ours is, can have no children with bounds; one above it may.
  for (let path = second; ; path = dirname(path)) {
    const parent = join('/sys/fs/cgroup', path)
    if (/\bmemory\b/.test(readIfThere(join(parent, 'cgroup.subtree_control'))))
      return {
        parent,
        limits: { 'memory.max': String, 'memory.swap.max': () => '0' },
        killsFile: 'memory.events',
        peakFile: 'memory.peak',
      }
    if (path === '/') return undefined
  }
}

function createGroup({ parent, limits, killsFile, peakFile }: Hierarchy, bytes: number) {
  const folder = mkdtempSync(join(parent, 'storedex-test-'))
  try {
    // Those of swap are missing where the kernel counts none.
    for (const [file, render] of Object.entries(limits))
      if (existsSync(join(folder, file))) writeFileSync(join(folder, file), render(bytes))
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  return {
    folder,
    processesFile: join(folder, 'cgroup.procs'),
    countKills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, killsFile), 'utf8'))![1]),
    peak: () => Number(readIfThere(join(folder, peakFile))),
  }
}

async function removeGroup(folder: string): Promise<void> {
  // A process that is ending keeps the group for a moment, and may start another.
  const isRemoved = () => {
    for (const pid of readIfThere(join(folder, 'cgroup.procs')).split('\n').filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    try {
      rmdirSync(folder)
      return true
    } catch {
      return false
    }
  }
  await expect.poll(isRemoved).toBe(true)
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

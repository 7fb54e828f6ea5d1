import { describe, expect, test } from 'vitest'
import { availableMemory, cgroupMemoryLimit } from '../../../src/foundation/runtime/memory.ts'
import { requireMemory } from '../../../src/program/serving/process.ts'

const megabyte = 2 ** 20

describe('a start with too little memory', () => {
  test('fails with the available and the required memory, and advice', () => {
    expect(() => requireMemory({ databaseUrl: null }, 300 * megabyte)).toThrow(
      'There are 300 MB of memory, and Storedex needs 384 MB with its own PostgreSQL: give it more, or set DATABASE_URL to a PostgreSQL elsewhere, then 256 MB are enough.',
    )
    expect(() => requireMemory({ databaseUrl: 'postgres://db.example/x' }, 255.9 * megabyte)).toThrow(
      'There are 255 MB of memory, and Storedex needs 256 MB: give it more.',
    )
  })

  test('does not fail with exactly enough', () => {
    requireMemory({ databaseUrl: null }, 384 * megabyte)
    requireMemory({ databaseUrl: 'postgres://db.example/x' }, 256 * megabyte)
    requireMemory({ databaseUrl: null }, availableMemory())
  })
})

describe('the memory limit of control groups', () => {
  const limitIn = (files: Record<string, string>) => cgroupMemoryLimit((path) => files[path] ?? '')

  test.each([
    [
      'of version 2, its own',
      { '/proc/self/cgroup': '0::/a.slice/b.service\n', '/sys/fs/cgroup/a.slice/b.service/memory.max': '314572800\n' },
    ],
    [
      'of version 2, of a slice above it',
      {
        '/proc/self/cgroup': '0::/a.slice/b.service\n',
        '/sys/fs/cgroup/a.slice/b.service/memory.max': 'max\n',
        '/sys/fs/cgroup/a.slice/memory.max': '314572800\n',
      },
    ],
    ['of version 2, inside a container', { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': '314572800\n' }],
    [
      'of version 1, which tells the least of all',
      {
        '/proc/self/cgroup': '5:devices:/\n4:memory:/x/y\n0::/\n',
        '/sys/fs/cgroup/memory/x/y/memory.stat': 'cache 1\nhierarchical_memory_limit 314572800\nrss 2\n',
      },
    ],
    [
      'of version 1, inside a container that shows the machine its path',
      {
        '/proc/self/cgroup': '4:cpu,memory:/docker/0a1b\n',
        '/sys/fs/cgroup/memory/memory.stat': 'hierarchical_memory_limit 314572800\n',
      },
    ],
  ])('%s, is found', (_, files) => {
    expect(limitIn(files)).toBe(300 * megabyte)
  })

  test.each([
    ['is not set', { '/proc/self/cgroup': '0::/a\n', '/sys/fs/cgroup/a/memory.max': 'max\n' }],
    ['cannot be read', { '/proc/self/cgroup': '0::/a\n' }],
    ['is of no system with control groups', {}],
  ])('that %s is ignored', (_, files) => {
    expect(limitIn(files as Record<string, string>)).toBe(Number.POSITIVE_INFINITY)
  })
})

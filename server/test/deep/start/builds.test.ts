import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { findProjectDir } from '../../../src/operations/config.ts'
import { startService, temporaryFolder } from './support/service.ts'

interface Build {
  kind: string
  hash: string
  build(folder: string): void
}

const projectDir = findProjectDir(import.meta.dirname)
let launcher: {
  prepareBuild(projectDir: string, build: Build): Promise<string>
  lastBuild(projectDir: string, kind: string): string | undefined
}
beforeAll(async () => {
  launcher = await import(pathToFileURL(join(projectDir, 'bin/launcher/builds.mjs')).href)
})

describe('a build of the launcher', () => {
  let built: string[] = []
  const buildOf = (hash: string): Build => ({
    kind: 'console',
    hash,
    build: (folder) => {
      built.push(hash)
      writeFileSync(join(folder, 'made'), hash)
    },
  })

  test('is made once for its sources, and kept with the last three that were used', async () => {
    built = []
    const checkout = temporaryFolder()
    const dist = join(checkout, 'server/dist')
    const prepare = async (hash: string, usedAt: number) => {
      const folder = await launcher.prepareBuild(checkout, buildOf(hash))
      expect(readFileSync(join(folder, 'made'), 'utf8')).toBe(hash)
      // Times of files are too coarse to tell uses within a test apart.
      utimesSync(folder, usedAt, usedAt)
    }
    await prepare('a', 1_000)
    await prepare('b', 2_000)
    await prepare('c', 3_000)
    await prepare('a', 4_000)
    await prepare('d', 5_000)
    expect(built).toEqual(['a', 'b', 'c', 'd'])
    expect(readdirSync(dist).sort()).toEqual(['console-a', 'console-c', 'console-d'])
    expect(launcher.lastBuild(checkout, 'console')).toBe(join(dist, 'console-d'))
    expect(launcher.lastBuild(checkout, 'other')).toBeUndefined()
  })

  test('that fails leaves nothing behind, and is made again', async () => {
    const checkout = temporaryFolder()
    const failing = {
      ...buildOf('a'),
      build: () => {
        throw new Error('no')
      },
    }
    await expect(launcher.prepareBuild(checkout, failing)).rejects.toThrow('no')
    expect(readdirSync(join(checkout, 'server/dist'))).toEqual([])
    await launcher.prepareBuild(checkout, buildOf('a'))
    expect(readdirSync(join(checkout, 'server/dist'))).toEqual(['console-a'])
  })

  test('is made elsewhere for one run when the checkout cannot be written to', async () => {
    const checkout = temporaryFolder()
    mkdirSync(join(checkout, 'server'))
    // Root may write everywhere, but nobody can make a folder in a file.
    writeFileSync(join(checkout, 'server/dist'), '')
    const folder = await launcher.prepareBuild(checkout, buildOf('a'))
    expect(folder.startsWith(checkout)).toBe(false)
    expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('a')
  })
})

test('a start builds the console and serves it; the next one serves the same build', async () => {
  const dataDir = temporaryFolder()
  const dist = join(projectDir, 'server/dist')
  const scripts: string[] = []
  for (const _ of ['first', 'second']) {
    const service = startService({ DATA_DIR: dataDir, DEMO: '0' })
    const { api } = await service.greeting()
    const page = await fetch(new URL('/', api), { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(await page.text()) ?? []
    const reply = await fetch(new URL(script, api), { headers: { 'accept-encoding': 'br' } })
    expect([reply.status, reply.headers.get('content-encoding')]).toEqual([200, 'br'])
    scripts.push(script)
    service.interrupt()
    expect(await service.exitCode()).toBe(0)
  }
  expect(scripts[1]).toBe(scripts[0])
  const builds = readdirSync(dist).filter((name) => /^console-[0-9a-f]{16}$/.test(name))
  expect(builds.some((name) => existsSync(join(dist, name, 'assets', basename(scripts[0]!))))).toBe(true)
})

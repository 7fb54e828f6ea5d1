import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { findProjectDir } from '../../src/config.ts'

test('a checkout with a workspace that is newer than its installation gets the link without npm', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'storedex-links-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const path of ['packages/new', 'node_modules']) mkdirSync(join(folder, path), { recursive: true })
  const packages = { 'node_modules/@storedex/new': { resolved: 'packages/new', link: true } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }))
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: {} }))
  const launcher = pathToFileURL(join(findProjectDir(import.meta.dirname), 'bin/launcher/install.mjs')).href
  const { installPackages } = await import(launcher)
  await installPackages(folder, { tools: false })
  await installPackages(folder, { tools: false })
  expect(realpathSync(join(folder, 'node_modules/@storedex/new'))).toBe(join(folder, 'packages/new'))
})

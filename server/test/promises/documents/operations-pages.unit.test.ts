import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, readServiceAccess } from '../../../src/operations/config.ts'
import { project } from '../architecture/support/tree.ts'

const folder = 'docs/operations'
const pages = readdirSync(join(project, folder)).map((name) => `${folder}/${name}`)
const read = (page: string) => readFileSync(join(project, page), 'utf8')

/** The names of the environment that a start and `storedex mcp` read. */
function readSettings(): string[] {
  const names = new Set<string>()
  const environment = new Proxy<Record<string, string>>(
    { STOREDEX_URL: 'https://storedex.example' },
    {
      get(given, name: string) {
        names.add(name)
        return given[name]
      },
    },
  )
  readConfig(environment, project)
  expect(() => readServiceAccess(environment)).toThrow('STOREDEX_API_KEY')
  return [...names].sort()
}

/** The names in the first column of the table; `A_{B,C}_{D,E}` stands for four. */
function documentedSettings(): string[] {
  const cells = [...read(`${folder}/settings.md`).matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell]) => cell!)
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => expand(name!))).sort()
}

function expand(name: string): string[] {
  const [all, choices] = /\{([\w,]+)\}/.exec(name) ?? []
  return all ? choices!.split(',').flatMap((choice) => expand(name.replace(all, choice))) : [name]
}

test('the table of settings has each setting once, and no other name', () => {
  const settings = readSettings()
  expect(settings.length).toBeGreaterThan(40)
  expect(documentedSettings()).toEqual(settings)
})

test('the index leads to every page', () => {
  const index = read(`${folder}/README.md`)
  const missing = pages.filter((page) => !page.endsWith('README.md') && !index.includes(`](${page.split('/').at(-1)})`))
  expect(missing).toEqual([])
})

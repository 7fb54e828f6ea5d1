import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const project = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(project, path), 'utf8')
const workflowPaths = readdirSync(join(project, '.github/workflows')).map((name) => `.github/workflows/${name}`)
const { scripts, engines } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  engines: { node: string }
}

interface Workflow {
  jobs: Record<string, { 'timeout-minutes'?: number; strategy?: { matrix: Record<string, string[]> }; steps: Step[] }>
}
interface Step {
  run?: string
  uses?: string
}

describe('the workflows', () => {
  const workflows = workflowPaths.map((path) => parse(read(path)) as Workflow)

  test('run both runs on every supported Node, from the oldest to the newest', () => {
    const matrix = workflows.flatMap(({ jobs }) => Object.values(jobs)).find(({ strategy }) => strategy)
      ?.strategy?.matrix
    expect(matrix).toEqual({ node: ['26', '24', '22', '20'], run: ['test', 'run test:deep'] })
    expect(matrix?.node?.at(-1)).toBe(/\d+/.exec(engines.node)?.[0])
    expect(matrix?.node).toContain(read('.nvmrc').trim())
  })

  test('call scripts that exist, and end by themselves', () => {
    for (const job of workflows.flatMap(({ jobs }) => Object.values(jobs))) {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(90)
      const called = job.steps.flatMap(({ run }) =>
        [...(run ?? '').matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!),
      )
      expect(called.filter((name) => !(name in scripts))).toEqual([])
    }
  })

  test('use actions of a named version', () => {
    const used = workflows.flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps }) => steps.map(({ uses }) => uses)),
    )
    expect(used.filter((action) => action && !/^[\w-]+\/[\w-]+@v\d+$/.test(action))).toEqual([])
  })
})

test('the forms for issues ask for something, and warn of data about people', () => {
  const forms = ['bug.yml', 'proposal.yml'].map((name) => read(`.github/ISSUE_TEMPLATE/${name}`))
  for (const form of forms) {
    const { name, description, body } = parse(form) as { name: string; description: string; body: { type: string }[] }
    expect([name, description].every(Boolean)).toBe(true)
    expect(body.some(({ type }) => type === 'textarea')).toBe(true)
  }
  expect(forms[0]).toMatch(/Leave out API keys/)
})

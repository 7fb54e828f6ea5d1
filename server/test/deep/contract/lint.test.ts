import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProjectDir } from '../../../src/operations/config.ts'
import { installTools, runTool } from './support/tools.ts'

const openapi = join(findProjectDir(import.meta.dirname), 'openapi')

// The document and the two rules that are off: docs/decisions/0015-contract-lint.md.
const accepted = ['warn owasp:api4:2023-string-restricted', 'warn owasp:api8:2023-define-error-validation']

test("the document passes Redocly's recommended rules and Spectral's", async () => {
  await installTools()
  const found: string[] = JSON.parse(
    await runTool('lint.mjs', [join(openapi, 'v1.json'), join(openapi, '.spectral.yaml')]),
  )
  expect(found.filter((line) => !accepted.some((each) => line.includes(each)))).toEqual([])
}, 900_000)

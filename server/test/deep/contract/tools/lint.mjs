// Lints a document by Redocly's recommended rules and by a ruleset of Spectral: node lint.mjs DOCUMENT RULESET
// Prints JSON: an array of `linter severity rule path`.
import { readFileSync } from 'node:fs'
import { createConfig, lint } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import owasp from '@stoplight/spectral-owasp-ruleset'
import parsers from '@stoplight/spectral-parsers'
import rulesets from '@stoplight/spectral-rulesets'
import yaml from 'yaml'

const [document, rulesetFile] = process.argv.slice(2)

const config = await createConfig({ extends: ['recommended'] })
const byRedocly = await lint({ ref: document, config })

const published = { 'spectral:oas': rulesets.oas, '@stoplight/spectral-owasp-ruleset': owasp.default ?? owasp }
const { extends: bases, rules } = yaml.parse(readFileSync(rulesetFile, 'utf8'))
const judge = new spectral.Spectral()
judge.setRuleset({ extends: bases.map((name) => published[name]), rules })
const bySpectral = await judge.run(new spectral.Document(readFileSync(document, 'utf8'), parsers.Json))

const severities = ['error', 'warn', 'info', 'hint']
console.log(
  JSON.stringify([
    ...byRedocly.map((found) => `redocly ${found.severity} ${found.ruleId} ${found.location[0]?.pointer}`),
    ...bySpectral.map((found) => `spectral ${severities[found.severity]} ${found.code} ${found.path.join('/')}`),
  ]),
)

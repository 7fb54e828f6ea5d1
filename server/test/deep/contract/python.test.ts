import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { toOlderDocument } from './support/older-document.ts'
import { domain, email, startShop } from './support/shop.ts'
import { generatedFolder, installTools, runProgram, saveDocument, toolsDir } from './support/tools.ts'

const succeeds = (program: string, args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0
// What the generated client imports, and what runs its generator.
const isPossible =
  succeeds('python3', ['-c', 'import urllib3, dateutil, six, certifi']) && succeeds('java', ['-version'])
if (!isPossible) console.error('Python with urllib3, or Java, is missing here: no Python client is generated.')

const calls = (address: string, secret: string) => `
import storedex

configuration = storedex.Configuration(host=${JSON.stringify(address)})
configuration.access_token = ${JSON.stringify(secret)}
client = storedex.ApiClient(configuration)
usage = storedex.UsageApi(client).get_usage()
filters = storedex.StoreSearchFilters(countries=["DE"])
stores = storedex.StoresApi(client).search_stores(storedex.StoreSearchRequest(filters=filters, limit=1))
contacts = storedex.ContactsApi(client)
people = contacts.search_contacts(storedex.ContactSearchRequest(limit=1))
ids = [person.id for person in people.data]
revealed = contacts.reveal_contacts(storedex.ContactRevealRequest(contact_ids=ids))
print(usage.plan.slug, stores.data[0].domain, revealed.data[0].emails[0].email)
`

describe.skipIf(!isPossible)('a client for Python by OpenAPI Generator', () => {
  const folder = generatedFolder()
  beforeAll(async () => {
    await installTools()
    const { address, secret } = await startShop()
    const document = await saveDocument(address, folder)
    writeFileSync(document, JSON.stringify(toOlderDocument(JSON.parse(readFileSync(document, 'utf8')))))
    const generator = join(toolsDir, 'node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar')
    const options = [
      '--package-name',
      'storedex',
      '--skip-validate-spec',
      '--global-property',
      'modelTests=false,apiTests=false',
    ]
    await runProgram(
      'java',
      ['-jar', generator, 'generate', '-g', 'python', '-i', document, '-o', '.', ...options],
      folder,
    )
    writeFileSync(join(folder, 'calls.py'), calls(address, secret))
  }, 900_000)

  test('finds a store and reveals a person', async () => {
    expect((await runProgram('python3', ['calls.py'], folder)).trim()).toBe(`pro ${domain} ${email}`)
  })
})

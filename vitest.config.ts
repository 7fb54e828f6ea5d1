import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './bin/tests/sequencer.ts'

const workspaces = '{bin,catalogue,client,console,server,stripe-standin,packages/*}'
const unit = `${workspaces}/test/**/*.unit.test.ts`
// Whole programs and long histories, and whatever judges the tools.
const deep = [
  `${workspaces}/test/**/*.deep.test.ts`,
  `${workspaces}/test/**/deep/**/*.test.ts`,
  '{bench,drill}/test/**/*.test.ts',
]

// What every project needs; a project inherits nothing from the root.
const common = {
  // Packages of this repository that are built for others are used from their sources here.
  ssr: { resolve: { conditions: ['storedex-source', 'module', 'node', 'development|production'] } },
}
const commonTest = {
  // Loading the service takes longer than the tests of many files; each worker loads it once.
  isolate: false,
  // Room for a busy machine; what never ends is ended.
  testTimeout: 180_000,
  hookTimeout: 240_000,
  // What is waited for comes sooner or later, and later on a busy machine.
  expect: { poll: { timeout: 20_000 } },
  sequence: { sequencer: LongestFirst },
}
const withDatabase = {
  ...commonTest,
  globalSetup: ['server/test/support/setup/global-setup.ts'],
  setupFiles: ['server/test/support/setup/file-setup.ts', 'server/test/support/setup/database-setup.ts'],
}

/** Which run takes a test is told by its file's name and folder: docs/testing.md. */
export default defineConfig({
  test: {
    projects: [
      // No server, no global set-up: a test with another name must not come here by accident, it would fail.
      {
        ...common,
        test: { ...commonTest, name: 'unit', include: [unit], setupFiles: ['server/test/support/setup/file-setup.ts'] },
      },
      {
        ...common,
        test: { ...withDatabase, name: 'main', include: [`${workspaces}/test/**/*.test.ts`], exclude: [unit, ...deep] },
      },
      { ...common, test: { ...withDatabase, name: 'deep', include: deep, exclude: ['**/node_modules/**'] } },
      {
        ...common,
        test: {
          ...withDatabase,
          name: 'random',
          include: [`${workspaces}/test/**/*.random*.test.ts`],
          // All of their runs, a part of which `npm test` makes.
          env: { STOREDEX_PROOF_SHARE: '1' },
        },
      },
      {
        ...common,
        test: {
          ...withDatabase,
          name: 'looks',
          include: [`${workspaces}/test/**/*.looks.test.ts`],
          // In dark and on a phone as well; `npm test` looks in light.
          env: { STOREDEX_LOOKS: 'every' },
        },
      },
      // Of these the deep run asks once more on another PostgreSQL. Only there, so that a file is in one project otherwise.
      ...(process.env.STOREDEX_TEST_ENGINE === 'memory'
        ? [
            {
              ...common,
              test: {
                ...withDatabase,
                name: 'rooms',
                include: ['server/test/**/*.test.ts'],
                // Pages, programs and doors send no statements of their own.
                exclude: [
                  ...[unit, ...deep, 'server/test/{promises,doors,program}/**', '**/*.looks.test.ts'],
                  'server/test/{foundation/http,customers/billing/stripe}/**',
                ],
              },
            },
          ]
        : []),
    ],
    // One more than processors: tests wait for timeouts, other processes and browsers.
    maxWorkers: availableParallelism() + 1,
    // Each worker loads the service from modules that an earlier one has transformed.
    experimental: { fsModuleCache: true },
    // Output that is still on its way to vitest when a file ends would fail the whole run.
    disableConsoleIntercept: true,
    // The runner's own race at a worker's end (vitest issue 9458). Any other error that belongs to no test fails the run.
    onUnhandledError: ({ message }) => !message.startsWith('[vitest-worker]: Closing rpc while'),
  },
})

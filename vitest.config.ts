import { defineConfig } from 'vitest/config'

export default defineConfig({
  // Packages of this repository that are built for others are used from their sources here.
  ssr: { resolve: { conditions: ['storedex-source', 'module', 'node', 'development|production'] } },
  test: {
    include: ['client', 'console', 'server', 'stripe-standin', 'bench', 'drill', 'packages/*'].map(
      (folder) => `${folder}/test/**/*.test.ts`,
    ),
    globalSetup: ['server/test/support/global-setup.ts'],
    setupFiles: ['server/test/support/file-setup.ts'],
    // Loading the service takes longer than the tests of many files; each worker loads it once.
    isolate: false,
    // Room for a busy machine; what never ends is ended.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    // What is waited for comes sooner or later, and later on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
    // Output that is still on its way to vitest when a file ends would fail the whole run.
    disableConsoleIntercept: true,
    // The runner's own race at a worker's end (vitest issue 9458). Any other error that belongs to no test fails the run.
    onUnhandledError: ({ message }) => !message.startsWith('[vitest-worker]: Closing rpc while'),
  },
})

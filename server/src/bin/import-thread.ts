import { runImportThread } from '../import-jobs/run/thread.ts'

runImportThread()

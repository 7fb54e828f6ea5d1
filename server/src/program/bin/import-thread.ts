import { runImportThread } from '../../catalogue/import-jobs/run/thread.ts'

runImportThread()

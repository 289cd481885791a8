import { VERSION } from '../core/version.ts';
import type { Settings } from '../settings.ts';
import { createOpenApiDocument } from '../web/openapi/document.ts';
import { limitsOf } from './limits.ts';

/** The OpenAPI document as a service with these settings serves it. */
export const openApiDocument = (settings: Settings): object =>
  createOpenApiDocument(limitsOf(settings), VERSION, settings.SLUICE_BASE_URL);

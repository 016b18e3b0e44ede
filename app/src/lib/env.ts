import * as z from 'zod/mini';

const text = z._default(z.string(), '');

const schema = z.object({
  PRODUCT_API_URL: text,
  PRODUCT_SITE_URL: text,
  PUBLISHABLE_KEY: z.string().check(z.minLength(1)),
  PRODUCT_NAME: z.string().check(z.minLength(1)),
  PRODUCT_SUPPORT_EMAIL: text,
  PRODUCT_SUPPORT_PHONE: text,
  PRODUCT_WHATSAPP: text,
  PRODUCT_INSTAGRAM: text,
  PRODUCT_UPI_ID: text,
  PRODUCT_UPI_PAYEE: text,
  PRODUCT_BLOG_ADMIN: text,
});

/** The public configuration of one build. Empty texts mean that the feature is not offered. */
export interface Env {
  supabaseUrl: string;
  supabaseKey: string;
  /** Origin that public addresses begin with, without a slash at the end. */
  siteUrl: string;
  productName: string;
  supportEmail: string;
  supportPhone: string;
  whatsappNumber: string;
  instagramUrl: string;
  upiPayeeAddress: string;
  upiPayeeName: string;
  blogAdminEmail: string;
}

/** Checks the variables of the build. Throws with the names of those that are missing or malformed. */
export function parseEnv(variables: unknown): Env {
  const parsed = schema.safeParse(variables);
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw new Error(`supabase/.env is incomplete: ${names}`);
  }
  const values = parsed.data;
  return {
    supabaseUrl: values.PRODUCT_API_URL,
    supabaseKey: values.PUBLISHABLE_KEY,
    siteUrl: values.PRODUCT_SITE_URL.replace(/\/+$/, ''),
    productName: values.PRODUCT_NAME,
    supportEmail: values.PRODUCT_SUPPORT_EMAIL,
    supportPhone: values.PRODUCT_SUPPORT_PHONE,
    whatsappNumber: values.PRODUCT_WHATSAPP.replace(/\D/g, ''),
    instagramUrl: values.PRODUCT_INSTAGRAM,
    upiPayeeAddress: values.PRODUCT_UPI_ID,
    upiPayeeName: values.PRODUCT_UPI_PAYEE || values.PRODUCT_NAME,
    blogAdminEmail: values.PRODUCT_BLOG_ADMIN,
  };
}

export const env = parseEnv(import.meta.env);

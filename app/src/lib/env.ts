/** The public configuration of one build. An empty text hides its feature. */
export interface Env {
  supabaseUrl: string;
  supabaseKey: string;
  /** The origin of public addresses, without a slash at the end. */
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

/**
 * Checks the variables of the build. Throws with the
 * names of those that are missing or are not texts.
 */
export function parseEnv(variables: Record<string, unknown>): Env {
  const wrong: string[] = [];
  // Public pages check nothing else, and a schema would cost them 8 KB.
  const read = (name: string, isNeeded = false) => {
    const value = variables[name] ?? '';
    if (typeof value === 'string' && (value || !isNeeded)) return value;
    wrong.push(name);
    return '';
  };
  const supabaseKey = read('PUBLISHABLE_KEY', true);
  const productName = read('PRODUCT_NAME', true);
  const env = {
    supabaseUrl: read('PRODUCT_API_URL'),
    supabaseKey,
    siteUrl: read('PRODUCT_SITE_URL').replace(/\/+$/, ''),
    productName,
    supportEmail: read('PRODUCT_SUPPORT_EMAIL'),
    supportPhone: read('PRODUCT_SUPPORT_PHONE'),
    whatsappNumber: read('PRODUCT_WHATSAPP').replace(/\D/g, ''),
    instagramUrl: read('PRODUCT_INSTAGRAM'),
    upiPayeeAddress: read('PRODUCT_UPI_ID'),
    upiPayeeName: read('PRODUCT_UPI_PAYEE') || productName,
    blogAdminEmail: read('PRODUCT_BLOG_ADMIN'),
  };
  if (wrong.length > 0) throw new Error(`supabase/.env is incomplete: ${wrong.join(', ')}`);
  return env;
}

export const env = parseEnv(import.meta.env);

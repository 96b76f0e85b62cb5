// Uploads an image to the service, which returns the address that emails use.
import { useRef, useState } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { uploadImage } from "../../../api/upload-image.ts";
import { Button } from "../../../kit/inputs/button.tsx";
import { showToast } from "../../../kit/overlays/toast.tsx";
import { words } from "../../words.ts";

const say = words.fields;
const types = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const maxBytes = 5_000_000;

export function ImageUpload({ onUploaded }: { onUploaded: (url: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isUploading, setUploading] = useState(false);
  const refuse = (text: string) => showToast({ title: say.uploadFailed, description: text, look: "bad" });
  const upload = async (file: File | undefined) => {
    if (!file) return;
    if (!types.includes(file.type)) return refuse(say.wrongType);
    if (file.size > maxBytes) return refuse(say.tooLarge);
    setUploading(true);
    try {
      const url = await uploadImage(file);
      onUploaded(url);
    } catch (error) {
      refuse(error instanceof ApiError ? error.message : String(error));
    } finally {
      setUploading(false);
    }
  };
  return (
    <div>
      <input
        ref={input}
        type="file"
        accept={types.join()}
        hidden
        aria-label={say.upload}
        onChange={({ target }) => {
          void upload(target.files?.[0]);
          target.value = "";
        }}
      />
      <Button size="small" icon="upload" disabled={isUploading} onClick={() => input.current?.click()}>
        {isUploading ? say.uploading : say.upload}
      </Button>
    </div>
  );
}

import RequestsConformance
import RequestsTesting
import Testing

/// The JSON Schema of the HAR format, checked with Python's `jsonschema`.
enum HARSchema {
    private static let schema = URL(filePath: #filePath)
        .deletingLastPathComponent()
        .appending(path: "../../Fixtures/har-1.2.schema.json")

    private static let program = """
        import json, sys, jsonschema
        schema, archive = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
        jsonschema.Draft202012Validator.check_schema(schema)
        for error in jsonschema.Draft202012Validator(schema).iter_errors(archive):
            print(error.json_path, error.message[:200])
        """

    /// Returns the violations of the format, one per line.
    static func violations(in file: URL) throws -> String {
        let arguments = ["-c", program, schema.path, file.path]
        let (status, text) = try Subprocess.run(#require(HTTPBin.python), arguments)
        try #require(status == 0, "the validator failed")
        return String(decoding: text, as: UTF8.self)
    }
}

/// A named test argument, printed by its name.
///
/// Swift Testing prints each argument of a test. Many values, such as structs with closures, print as a dump of their
/// parts.
package struct Named<Value: Sendable>: Sendable, CustomStringConvertible {
    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    package var description: String { name }
}
